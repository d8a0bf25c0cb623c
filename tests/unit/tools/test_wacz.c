/* The parts of a WACZ: its ZIP, its signature, and lookups in its index. */
#include "base/bytes.h"
#include "crawler/output/warc/warc_reader.h"
#include "tools/warc/archived.h"
#include "tools/warc/parcel_sign.h"
#include "tools/warc/zip.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

static void no_fault(void *, uint64_t offset, const char *what)
{
    cr_expect(false, "byte %llu: %s", (unsigned long long)offset, what);
}

/* Writes two entries from that byte on, and reads them from the disk. The file has a hole before them. */
static void write_and_read(uint64_t begin)
{
    char path[] = "/tmp/crawl-zip-XXXXXX";
    cw_zip zip = {.file = mkstemp(path), .bytes = begin}, read;
    crawl_slice bytes, content;
    crawl_buf room = {0};
    cr_assert_eq(lseek(zip.file, (off_t)begin, SEEK_SET), (off_t)begin);
    cr_assert_eq(cw_zip_add(&zip, "archive/a", crawl_slice_from("content of a")), CRAWL_OK);
    cr_assert_eq(cw_zip_add(&zip, "empty", crawl_slice_from("")), CRAWL_OK);
    cr_assert_eq(cw_zip_end(&zip), CRAWL_OK);
    cr_assert_eq(cw_archived_map(path, &bytes, NULL), CRAWL_OK);
    cr_assert_eq(bytes.size, zip.bytes);
    cr_assert_eq(cw_zip_read(bytes, &read, no_fault, NULL), CRAWL_OK);
    cr_assert_eq(read.count, 2);
    cr_expect_eq(cw_zip_find(&read, "archive/b"), NULL);
    cr_expect_eq(cw_zip_find(&read, "archive/a")->header, begin);
    cr_assert_eq(cw_zip_content(cw_zip_find(&read, "archive/a"), &room, &content), CRAWL_OK);
    cr_expect(cw_is(content, "content of a"));
    cr_assert_eq(cw_zip_content(cw_zip_find(&read, "empty"), &room, &content), CRAWL_OK);
    cr_expect_eq(content.size, 0);
    cw_zip_free(&read);
    cw_zip_free(&zip);
    cw_warc_unmap(bytes);
    close(zip.file);
    unlink(path);
}

Test(zip, a_small_one)
{
    write_and_read(0);
}

/* Beyond 4 GiB both headers and the end have the zip64 fields. */
Test(zip, one_beyond_4_gib)
{
    write_and_read((uint64_t)5 << 30);
}

/* Returns the member of a JSON text of strings. */
static crawl_slice member(crawl_slice text, const char *name)
{
    crawl_slice rest = cw_drop(text, cw_find_text(text, name) + strlen(name) + strlen("\":\""));
    return cw_cut(&rest, '"');
}

Test(signature, fits_its_text_alone)
{
    crawl_buf digest = {0};
    cr_assert_eq(cw_parcel_sign(crawl_slice_from("{}"), "2026-11-29T10:00:00Z", &digest), CRAWL_OK);
    crawl_slice text = crawl_buf_slice(&digest);
    crawl_slice key = member(text, "publicKey"), signature = member(text, "signature"), hash = member(text, "hash");
    cr_expect(cw_is(hash, "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"));
    cr_expect(cw_parcel_is_signed(hash, key, signature));
    cr_expect_not(cw_parcel_is_signed(crawl_slice_from("sha256:44"), key, signature));
    cr_expect_not(cw_parcel_is_signed(hash, signature, signature));
    cr_expect_not(cw_parcel_is_signed(hash, key, crawl_slice_of(signature.data, signature.size - 4)));
    crawl_buf_free(&digest);
}

static bool has(const char *url, const char *date, bool original)
{
    static const char lines[] = "com,a)/ 20260101000000 {}\n"
                                "com,a)/b 20260101000000 {\"mime\": \"warc/revisit\"}\n"
                                "com,a)/b 20260101000009 {}\n"
                                "com,a)/bb 20260101000000 {\"mime\": \"warc/revisit\"}\n"
                                "com,b)/ 20260101000000123 {}\n";
    bool found;
    cr_assert_eq(
        cw_archived_answer(crawl_slice_from(lines), crawl_slice_from(url), crawl_slice_from(date), original, &found),
        CRAWL_OK);
    return found;
}

Test(lookup, by_url_and_second)
{
    cr_expect(has("https://a.com/", "", false));
    cr_expect(has("https://a.com/", "2026-01-01T00:00:00.999Z", true));
    cr_expect_not(has("https://a.com/", "2026-01-01T00:00:01Z", false));
    cr_expect(has("http://b.com/", "2026-01-01T00:00:00Z", false));
    cr_expect_not(has("https://a.com/c", "", false));
    cr_expect_not(has("https://0.com/", "", false));
    cr_expect_not(has("https://z.com/", "", false));
}

Test(lookup, an_original_is_no_revisit)
{
    cr_expect(has("https://a.com/b", "", true));
    cr_expect(has("https://a.com/b", "2026-01-01T00:00:00Z", false));
    cr_expect_not(has("https://a.com/b", "2026-01-01T00:00:00Z", true));
    cr_expect_not(has("https://a.com/bb", "", true));
}
