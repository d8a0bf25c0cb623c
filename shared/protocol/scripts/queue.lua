-- Stands behind common.lua in the scripts that change the queue of a host.

-- Puts requests into a level: with RPUSH behind all others, with LPUSH before them, the last one first. True: the level
-- had none.
local function put(origin, level, command, requests)
    local size = 0
    for i = 1, #requests, MOST do
        size = call(command, queue(origin, level), unpack(requests, i, math.min(i + MOST - 1, #requests)))
    end
    local first = size > 0 and size == #requests
    if first then
        call('ZADD', key('levels', origin), '0', level)
    end
    return first
end

-- Keeps a request for a date, under its id if it has one. Ids of hosts only grow, so that equal ones do not become one,
-- and the order is kept.
local function put_off(origin, level, bytes, at, id)
    id = id or call('HINCRBY', key('host', origin), 'ids', '1')
    call('ZADD', key('dated', origin), digits(at), format('%016x', id) .. level .. bytes)
end

-- Whoever takes any host leaves one that has no session to those who seek it alone, for a moment from when it may be asked.
-- They ask again four times a second.
local function reserve(origin)
    local MOMENT = 600
    local open = tonumber(call('HGET', key('host', origin), 'open') or 0)
    call('ZADD', hosts, 'XX', 'GT', digits(math.max(open, clock()) + MOMENT), origin)
end

-- The place among the hosts of one that has no session. Answers when it may be taken; -1: it has nothing.
local function schedule(origin)
    local due = call('HGET', key('host', origin), 'open') or '0'
    if call('EXISTS', key('levels', origin)) == 0 then
        local first = call('ZRANGE', key('dated', origin), '0', '0', 'WITHSCORES')
        if #first == 0 then
            call('ZREM', hosts, origin)
            return -1
        end
        due = digits(math.max(due, first[2]))
    end
    call('ZADD', hosts, due, origin)
    return tonumber(due)
end
