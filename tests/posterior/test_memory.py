from concurrent.futures import ThreadPoolExecutor

from skbayeseval.posterior.prior import Memory


def test_memory_keeps_the_most_recent():
    memory, computed = Memory(size=2), []

    def ask(key):
        return memory.get(key, lambda: computed.append(key) or key)

    for key in "abab":
        assert ask(key) == key
    assert computed == ["a", "b"]
    ask("c")  # forgets "a", which was used least recently
    ask("b")
    ask("a")
    assert computed == ["a", "b", "c", "a"]


def test_memory_serves_threads():
    memory = Memory(size=3)
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda i: memory.get(i % 7, lambda: i % 7), range(4000))
        assert list(found) == [i % 7 for i in range(4000)]
