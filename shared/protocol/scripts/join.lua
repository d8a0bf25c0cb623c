-- Makes the crawl, or joins it. KEYS[1] is "{NAME}". ARGV: time, lease, worker, "1" if it has seeds to push; then name
-- and value of what is decided once. Answers 1 for one that was made, 0 for one that was there; behind it `made`,
-- how many workers were lost while they had seeds, and the sign that figures has, if it has one; or of each thing that was decided otherwise its name, their value ("": none)
-- and ours.
--
--   made   string: when the crawl was made, and by which worker, so that no other crawl is taken for it
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
if #undecided > 0 then -- by a version that did not know of it
    call('HSET', crawl, unpack(undecided))
end
if is_scrapys then -- a set of another program's has other members
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
