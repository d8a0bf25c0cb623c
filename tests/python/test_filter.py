"""Tests filters from Python: every kind, keys of each type, batches, files, threads, errors, and freed memory."""
import support

support.need("cffi")

import gc  # noqa: E402
import os  # noqa: E402
import threading  # noqa: E402
import tracemalloc  # noqa: E402
from array import array  # noqa: E402

import crawlfrontier  # noqa: E402
from crawlfrontier import Filter  # noqa: E402

FORGETTING = {"counting", "exact", "table", "digest"}


class Kinds(support.TestCase):
    def test_every_kind_adds_and_answers(self):
        self.assertEqual(len(crawlfrontier.KINDS), 7)
        for kind in crawlfrontier.KINDS:
            with self.subTest(kind), Filter(kind, capacity=10_000) as seen:
                keys = [f"http://a.example/{i}" for i in range(1000)]
                self.assertEqual(sum(map(seen.add, keys)), 1000)
                self.assertFalse(any(map(seen.add, keys)))
                self.assertTrue(all(key in seen for key in keys))
                self.assertNotIn("http://b.example/", seen)
                self.assertEqual((len(seen), seen.kind), (1000, kind))
                self.assertTrue(seen)

    def test_kinds_that_forget(self):
        for kind in crawlfrontier.KINDS:
            with self.subTest(kind):
                seen = Filter(kind)
                where = seen.add_where("a")
                self.assertIsInstance(where, int)
                self.assertIsNone(seen.add_where("a"))
                if kind not in FORGETTING:
                    with self.assertRaisesRegex(crawlfrontier.RefusedError, "does not forget: refused"):
                        seen.remove("a", where)
                    self.assertIn("a", seen)
                    continue
                seen.remove("a", where)
                self.assertNotIn("a", seen)
                with self.assertRaises(KeyError):
                    seen.remove("a")
                self.assertIs(seen.discard("a"), False)
                seen.add("b")
                self.assertIs(seen.discard("b"), True)
                self.assertEqual(len(seen), 0)

    def test_window(self):
        seen = Filter("rotating", window=10, generations=2)
        seen.advance(1000)
        seen.add("a")
        seen.advance(1009)
        self.assertIn("a", seen)
        seen.advance(1011)
        self.assertNotIn("a", seen)


class Keys(support.TestCase):
    def test_str_is_its_utf_8(self):
        seen = Filter()
        self.assertTrue(seen.add("é"))
        self.assertFalse(seen.add("é".encode()))
        self.assertFalse(seen.add(bytearray("é".encode())))
        self.assertIn(memoryview("é".encode()), seen)
        with self.assertRaises(TypeError):
            seen.add(1)
        with self.assertRaises(UnicodeEncodeError):
            seen.add("\ud800")

    def test_batches_are_as_single_calls(self):
        texts = [f"key {i % 700}" for i in range(1000)]
        one = Filter(seed=7)
        expected = [int(one.add(text)) for text in texts]
        for name, batch in (("str", texts), ("bytes", [text.encode() for text in texts]),
                            ("both", [text.encode() if i % 2 else text for i, text in enumerate(texts)]),
                            ("iterator", iter(texts)), ("views", [memoryview(text.encode()) for text in texts])):
            with self.subTest(name):
                seen = Filter(seed=7)
                self.assertEqual(list(seen.add_many(batch)), expected)
                self.assertEqual(list(seen.contains_many(texts + ["no"])), [1] * 1000 + [0])
        wide = ["é%d" % i for i in range(100)] + [""]
        seen = Filter()
        self.assertEqual(seen.update(wide), 101)
        self.assertTrue(all(text.encode() in seen for text in wide))

    def test_texts_with_a_nul_in_them(self):
        texts = ["a", "a\0b", "", "\0", "b", "\0\0é"]
        encoded = [text.encode() for text in texts]
        for batch in (texts, encoded, [*encoded[:2], *texts[2:]], ["\0"], [""], [b"\0a"]):
            with self.subTest(batch):
                seen = Filter("exact")
                self.assertEqual(seen.update(batch), len(batch))
                self.assertTrue(all(text in seen for text in batch))
                self.assertEqual(len(seen), len(batch))

    def test_longer_than_one_call_takes(self):
        seen = Filter(capacity=1_000_000, fpr=1e-9)
        self.assertEqual(seen.update(str(i) for i in range(150_000)), 150_000)
        self.assertEqual(len(list(seen.fresh(str(i) for i in range(140_000, 160_000)))), 10_000)
        self.assertEqual(len(seen), 160_000)

    def test_lists_longer_than_one_call_takes(self):
        texts = [str(i) for i in range(10_000)] + ["é"]
        for batch in (texts, tuple(texts), dict.fromkeys(texts)):
            with self.subTest(type(batch)):
                seen = Filter("exact")
                self.assertEqual(seen.add_many(batch), b"\1" * 10_001)
                self.assertEqual(seen.contains_many(batch), b"\1" * 10_001)
                self.assertEqual(len(seen), 10_001)

    def test_a_list_that_grows_while_it_is_read(self):
        texts = [str(i) for i in range(5000)]
        for text in Filter("exact").fresh(texts):
            if int(text) < 5000:
                texts.append(str(int(text) + 5000))
        self.assertEqual(len(texts), 10_000)

    def test_keys_of_a_generator_are_added_as_they_are_consumed(self):
        asked = []

        def keys():
            for key in "abc":
                asked.append(key)
                yield key

        seen = Filter("exact")
        first = next(iter(seen.fresh(keys())))
        self.assertEqual((first, asked, "b" in seen), ("a", ["a"], False))

    def test_ascii_is_copied_once(self):
        texts = [f"{i:01000}" for i in range(1000)]
        seen, size = Filter("exact"), sum(map(len, texts))
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        self.assertEqual(seen.update(texts), 1000)
        self.assertLess(tracemalloc.get_traced_memory()[1], 1.5 * size)

    def test_half_of_a_surrogate_pair_is_no_text(self):
        seen = Filter("exact")
        for call in (seen.add_many, seen.contains_many, seen.update, lambda texts: list(seen.fresh(texts))):
            with self.assertRaises(UnicodeEncodeError):
                call(["a", "\ud800", "b"])
        self.assertEqual(len(seen), 0)

    def test_empty_batches(self):
        seen = Filter()
        self.assertEqual((seen.add_many([]), seen.update([]), seen.add_many(b"", key_size=4)), (b"", 0, b""))

    def test_buffers_of_keys(self):
        keys = os.urandom(20 * 500)
        for kind in (bytes, bytearray, memoryview, lambda data: array("I", data)):
            seen = Filter()
            self.assertEqual(seen.update(kind(keys), key_size=20), 500)
            self.assertIn(keys[20:40], seen)
            self.assertEqual(sum(seen.contains_many(kind(keys), key_size=20)), 500)
        with self.assertRaisesRegex(ValueError, "no whole number"):
            seen.add_many(keys, key_size=19)
        with self.assertRaisesRegex(ValueError, "one byte at least"):
            seen.add_many(keys, key_size=0)
        with self.assertRaisesRegex(TypeError, "one text"):
            seen.add_many("http://a.example/")

    def test_batches_that_forget(self):
        keys = b"".join(i.to_bytes(8, "little") for i in range(300))
        for kind in FORGETTING:
            with self.subTest(kind):
                seen, where = Filter(kind), array("I")
                self.assertEqual(seen.add_many(keys, 8, where=where).count(1), 300)
                self.assertEqual(seen.remove_many(keys[:1600], 8, where[:200]).count(1), 200)
                self.assertEqual(list(seen.contains_many(keys, 8)), [0] * 200 + [1] * 100)
                with self.assertRaises(ValueError):
                    seen.remove_many(keys, 8, where[:3])
        with self.assertRaises(crawlfrontier.RefusedError):
            Filter().remove_many(keys, 8, array("I", bytes(1200)))


class Files(support.TestCase):
    def test_saved_and_loaded(self):
        for kind in crawlfrontier.KINDS:
            with self.subTest(kind):
                seen = Filter(kind, label="lines", shards=4 if kind == "exact" else 1)
                seen.update(map(str, range(1000)))
                seen.save(self.path("seen.filter"))
                for how in (False, True):
                    again = Filter.load(self.path("seen.filter"), map=how)
                    self.assertEqual((again.kind, again.label, len(again)), (kind, "lines", 1000))
                    self.assertTrue(all(again.contains_many(map(str, range(1000)))))
                    self.assertTrue(again.add("new"))

    def test_words_of_errors(self):
        with self.assertRaisesRegex(crawlfrontier.FileError, "none.filter.*No such file") as caught:
            Filter.load(self.path("none.filter"))
        self.assertIsInstance(caught.exception, OSError)
        with open(self.path("text"), "w", encoding="ascii") as text:
            text.write("no filter at all" * 100)
        with self.assertRaises(crawlfrontier.CorruptError):
            Filter.load(self.path("text"))
        with self.assertRaises(crawlfrontier.FileError):
            Filter().save(self.path("no/such/folder"))
        with self.assertRaisesRegex(crawlfrontier.InvalidError, "fpr") as caught:
            Filter(fpr=2)
        self.assertIsInstance(caught.exception, ValueError)
        with self.assertRaisesRegex(crawlfrontier.InvalidError, "capacity is -1"):
            Filter(capacity=-1)
        with self.assertRaisesRegex(crawlfrontier.InvalidError, "scalable, counting"):
            Filter("magic")
        with self.assertRaisesRegex(crawlfrontier.NoMemoryError, "not all keys are added"):
            Filter("exact", capacity=1000, max_bytes=40_000).update(map(str, range(100_000)))

    def test_closed(self):
        with Filter() as seen:
            pass
        seen.close()
        self.assertEqual(repr(seen), "<Filter, closed>")
        for call in (lambda: seen.add("a"), lambda: "a" in seen, seen.stats, lambda: seen.update(["a"]),
                     lambda: seen.save(self.path("f"))):
            with self.assertRaisesRegex(crawlfrontier.StateError, "closed"):
                call()


class Threads(support.TestCase):
    def fill(self, seen):
        new = []
        threads = [threading.Thread(target=lambda: new.append(seen.update(map(str, range(200_000))))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sum(new), 200_000)

    def test_each_key_is_new_once(self):
        self.fill(Filter("exact", shards=8))
        self.fill(Filter("exact"))

    def test_a_file_without_locks_of_its_own(self):
        Filter("exact", shards=0).save(self.path("single"))
        self.fill(Filter.load(self.path("single")))


class Memory(support.TestCase):
    def test_what_is_dropped_is_freed(self):
        def some(count):
            for i in range(count):
                seen = Filter("exact", capacity=1000)
                seen.add_many([b"a", b"b"])
            for i in range(count // 100):
                seen = Filter(capacity=1000, label="x")
                seen.save(self.path("seen"))
                Filter.load(self.path("seen")).stats()
            gc.collect()
        some(2000)
        before = support.resident()
        some(100_000)
        self.assertLess(support.resident() - before, 8 << 20)


if __name__ == "__main__":
    support.main()
