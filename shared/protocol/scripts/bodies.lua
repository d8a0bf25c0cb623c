-- Returns the page that had a body first. KEYS[1] is the partition of its digest. ARGV: time, the maximum of bodies in
-- a partition, the digest, and the URL of the page that has it, or nothing if that is too long to keep. Answers the URL
-- at which it came before, or nothing: then this page is the first, unless there is no more room. The same page may ask
-- again.
--
--   bodies   hash: URLs of the first pages, by digest
local bodies, most, digest, url = base .. ':bodies', tonumber(ARGV[2]), ARGV[3], ARGV[4]
local first = call('HGET', bodies, digest)
if first then
    return first == url and '' or first
end
if url ~= '' and call('HLEN', bodies) < most then
    call('HSET', bodies, digest, url)
end
return ''
