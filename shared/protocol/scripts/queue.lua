-- Follows common.lua in the scripts that change the queue of a host.

-- Adds requests to a level: RPUSH puts them behind all others, LPUSH before them, the last one first. True: the
-- level was empty.
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

-- Keeps a request for a date, under its id if it has one. Ids of a host only grow, so equal requests stay distinct
-- and in order.
local function put_off(origin, level, bytes, at, id)
    id = id or call('HINCRBY', key('host', origin), 'ids', '1')
    call('ZADD', key('dated', origin), digits(at), format('%016x', id) .. level .. bytes)
end

-- Leaves a host without a session to those who seek it by name, for a moment from when it may be asked; they ask
-- again four times a second.
local function reserve(origin)
    local MOMENT = 600
    local open = tonumber(call('HGET', key('host', origin), 'open') or 0)
    call('ZADD', hosts, 'XX', 'GT', digits(math.max(open, clock()) + MOMENT), origin)
end

-- Places a host without a session among the hosts. Answers when it may be taken; -1: it has no requests.
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
