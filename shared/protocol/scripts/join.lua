-- Makes the crawl, or joins it. KEYS[1] is "{NAME}". ARGV: time, lease, worker, "1" if it has seeds to push; then names
-- and values of the decisions. Answers 1 if the crawl was made, 0 if it existed; then `made`, how many workers were
-- lost while they had seeds, and the sign in figures, if there is one. Or answers for each decision that differs its
-- name, their value ("": none) and ours.
--
--   made   string: when the crawl was made, and by which worker; tells it from other crawls
local crawl, differences, undecided = KEYS[1] .. ':crawl', {}, {}
local made = call('EXISTS', crawl) == 0
local is_scrapys = false
for i = 5, #ARGV, 2 do
    local theirs = call('HGET', crawl, ARGV[i])
    is_scrapys = is_scrapys or (ARGV[i] == 'crawl.seen' and ARGV[i + 1] == 'scrapy-redis')
    if not made and not theirs and ARGV[i] ~= 'crawl.format' then
        undecided[#undecided + 1], undecided[#undecided + 2] = ARGV[i], ARGV[i + 1]
    elseif not made and theirs ~= ARGV[i + 1] then
        differences[#differences + 1] = ARGV[i]
        differences[#differences + 1] = theirs or ''
        differences[#differences + 1] = ARGV[i + 1]
    end
end
if #differences > 0 then
    return differences
end
if #undecided > 0 then -- the crawl was made by a version without them
    call('HSET', crawl, unpack(undecided))
end
if is_scrapys then -- a set of another program has other members
    local member = call('SRANDMEMBER', KEYS[1]:sub(2, -2) .. ':dupefilter')
    if member and not (#member == 40 and member:match('^[0-9a-f]+$')) then
        return {'crawl.format', '', ''}
    end
end
if made then
    call('HSET', crawl, unpack(ARGV, 5))
    call('SET', KEYS[1] .. ':made', digits(clock()) .. ' ' .. ARGV[3])
end
if ARGV[4] == '1' then
    call('ZADD', KEYS[1] .. ':feeders', clock() + ARGV[2], ARGV[3])
end
local unfed = call('HLEN', KEYS[1] .. ':unfed') + call('ZCOUNT', KEYS[1] .. ':feeders', '-inf', digits(clock()))
return {made and 1 or 0, call('GET', KEYS[1] .. ':made'), unfed, call('HGET', figures, 'made')}
