-- Gives a worker sessions of hosts that may be asked now. ARGV: time, lease, worker, most hosts, most requests of each.
-- Answers the time, the next one at which there may be more (-1: none), and of each session origin, token, pause,
-- record and requests. Sessions whose deadline has passed are ended first: their worker stopped asking before it, so
-- that a pause from the deadline on is one from its last request on.
local now, lease, worker = clock(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
local most, window = tonumber(ARGV[4]), tonumber(ARGV[5])
local ENDED_AT_ONCE = 16 -- bounds how long the server is busy

-- The first of a sorted set that are due: names, each with its score behind it.
local function due(set, count)
    local found = call('ZRANGE', set, '0', digits(count - 1), 'WITHSCORES')
    while #found > 0 and tonumber(found[#found]) > now do
        found[#found], found[#found - 1] = nil, nil
    end
    return found
end

local function end_late(origin, deadline)
    local had = call('HMGET', key('host', origin), 'pause', 'open')
    call('HSET', key('host', origin), 'open', digits(math.max(had[2] or 0, deadline + (had[1] or 0))))
    end_session(origin)
    count('lost', 1)
end

local function begin(origin, token)
    local had = call('HMGET', key('host', origin), 'pause', 'record')
    call('ZREM', hosts, origin)
    call('ZADD', sessions, digits(now + lease), origin)
    call('HSET', key('host', origin), 'token', digits(token), 'worker', worker)
    return {origin, token, tonumber(had[1] or 0), had[2] or '', fill(origin, now, window)}
end

local late = due(sessions, ENDED_AT_ONCE)
for i = 1, #late, 2 do
    end_late(late[i], late[i + 1])
end

local free, given = due(hosts, most), {}
local tokens = #free > 0 and call('HINCRBY', figures, 'token', digits(#free / 2)) - #free / 2
for i = 1, #free, 2 do
    given[#given + 1] = begin(free[i], tokens + #given + 1)
end

local next_time = -1
for _, set in ipairs({hosts, sessions}) do
    local first = call('ZRANGE', set, '0', '0', 'WITHSCORES')
    if #first > 0 and (next_time < 0 or tonumber(first[2]) < next_time) then
        next_time = tonumber(first[2])
    end
end
return {now, next_time, given}
