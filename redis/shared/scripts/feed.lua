-- Workers, and those of them that have seeds which are not all in the crawl. KEYS[1] is "{NAME}". ARGV: time, lease,
-- worker, and "1" where it has some, "0" where it has none (any more), and nothing where it only asks. Answers how many
-- workers have some; one whose deadline has passed has none. A worker asks now and then as long as it lives, so that
-- people see it here.
local SEEN_FOR = 15000 -- at least: longer than a worker waits between two looks
local feeders, workers, now, lease = base .. ':feeders', base .. ':workers', clock(), tonumber(ARGV[2])
call('ZREMRANGEBYSCORE', feeders, '-inf', digits(now))
call('ZREMRANGEBYSCORE', workers, '-inf', digits(now))
call('ZADD', workers, digits(now + math.max(lease, SEEN_FOR)), ARGV[3])
if ARGV[4] == '1' then
    call('ZADD', feeders, digits(now + lease), ARGV[3])
elseif ARGV[4] == '0' then
    call('ZREM', feeders, ARGV[3])
end
return call('ZCARD', feeders)
