-- Workers, and those of them that have seeds which are not all in the crawl. KEYS[1] is "{NAME}". ARGV: time, lease,
-- worker, and "1" where it has some, "0" where it has none (any more), "2" where it has none any more and those that
-- were missing when it joined are there too, and nothing where it only asks. Answers how many workers have some, and how
-- many were lost while they had some. A worker asks now and then as long as it lives, so that people see it here.
--
--   unfed   hash: workers whose deadline passed while they had seeds, and when that was noticed
local SEEN_FOR = 15000 -- at least: longer than a worker waits between two looks
local feeders, workers, now, lease = base .. ':feeders', base .. ':workers', clock(), tonumber(ARGV[2])
local unfed = base .. ':unfed'
for _, worker in ipairs(call('ZRANGEBYSCORE', feeders, '-inf', digits(now))) do
    call('HSET', unfed, worker, digits(now))
end
call('ZREMRANGEBYSCORE', feeders, '-inf', digits(now))
call('ZREMRANGEBYSCORE', workers, '-inf', digits(now))
call('ZADD', workers, digits(now + math.max(lease, SEEN_FOR)), ARGV[3])
if ARGV[4] == '1' then
    call('ZADD', feeders, digits(now + lease), ARGV[3])
elseif ARGV[4] == '0' then
    call('ZREM', feeders, ARGV[3])
elseif ARGV[4] == '2' then
    call('ZREM', feeders, ARGV[3])
    call('DEL', unfed)
end
if ARGV[4] ~= '' then
    call('HDEL', unfed, ARGV[3])
end
return {call('ZCARD', feeders), call('HLEN', unfed)}
