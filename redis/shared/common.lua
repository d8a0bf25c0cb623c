-- What stands before the scripts of a partition. KEYS[1] is "{NAME:p}": the braces make it the hash tag of all keys
-- of the partition, so that one node has them all, and each script touches that node alone.
--
--   figures          hash: what is counted, and the numbers that only grow (token, links)
--   seen:I           bitmap, a link of the seen-set's chain; or seen, a set of fingerprints
--   hosts            sorted set: hosts that have requests and no session, by the time when they may be asked
--   sessions         sorted set: hosts that a worker has, by their deadline
--   host:ORIGIN      hash: record, pause, open; with a session its token and worker; ids given so far
--   levels:ORIGIN    sorted set: the levels that have requests, in order
--   queue:ORIGIN:L   list: the requests of a level, first come first
--   dated:ORIGIN     sorted set: requests for later, by their date
--   held:ORIGIN      hash: requests that a session has, by their id
local base = KEYS[1]
local figures, hosts, sessions = base .. ':figures', base .. ':hosts', base .. ':sessions'
local LEVEL = 16 -- digits

local function key(word, origin)
    return base .. ':' .. word .. ':' .. origin
end

local function queue(origin, level)
    return base .. ':queue:' .. origin .. ':' .. level
end

-- In milliseconds: the server's, or the one that a test says.
local function clock(said)
    if said ~= '0' then
        return tonumber(said)
    end
    local time = redis.call('TIME')
    return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function count(name, by)
    if by ~= 0 then
        redis.call('HINCRBY', figures, name, by)
    end
end

-- Puts a request into its level. True: the level had none.
local function put(origin, level, bytes, command)
    local first = redis.call(command, queue(origin, level), bytes) == 1
    if first then
        redis.call('ZADD', key('levels', origin), 0, level)
    end
    return first
end

-- Keeps a request for a date. Ids of hosts only grow, so that equal ones do not become one, and the order is kept.
local function put_off(origin, level, bytes, at)
    local id = redis.call('HINCRBY', key('host', origin), 'ids', 1)
    redis.call('ZADD', key('dated', origin), at, string.format('%016x', id) .. level .. bytes)
end

-- The place among the hosts of one that has no session.
local function schedule(origin)
    local due = tonumber(redis.call('HGET', key('host', origin), 'open') or 0)
    if redis.call('EXISTS', key('levels', origin)) == 0 then
        local first = redis.call('ZRANGE', key('dated', origin), 0, 0, 'WITHSCORES')
        if #first == 0 then
            redis.call('ZREM', hosts, origin)
            return
        end
        due = math.max(due, tonumber(first[2]))
    end
    redis.call('ZADD', hosts, due, origin)
end

-- The requests that a session still has go back, before all others of their levels, in order.
local function put_back(origin)
    local held = redis.call('HGETALL', key('held', origin))
    local ids, requests = {}, {}
    for i = 1, #held, 2 do
        ids[#ids + 1] = tonumber(held[i])
        requests[ids[#ids]] = held[i + 1]
    end
    table.sort(ids, function(a, b) return a > b end)
    for _, id in ipairs(ids) do
        put(origin, requests[id]:sub(1, LEVEL), requests[id]:sub(LEVEL + 1), 'LPUSH')
    end
    redis.call('DEL', key('held', origin))
    count('held', -#ids)
    count('queued', #ids)
end

local function end_session(origin)
    put_back(origin)
    redis.call('HDEL', key('host', origin), 'token', 'worker')
    redis.call('ZREM', sessions, origin)
    schedule(origin)
end
