-- Tells and reads which workers have seeds that are not all in the crawl. KEYS[1] is "{NAME}". ARGV: time, lease,
-- worker, and "1" if it has some, "0" if it has none (any more), "2" if it has none any more and has also brought those
-- that were missing when it joined, or nothing if it only asks. Answers how many workers have some, and how many were
-- lost while they had some. A worker asks now and then while it lives, so that users see it here.
--
--   unfed   hash: workers whose deadline passed while they had seeds, and the time when this was noticed
local SEEN_FOR = 15000 -- at least; longer than the time between two looks of a worker
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
