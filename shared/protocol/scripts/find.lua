-- Looks up one request and its host, for users. ARGV: time, kind, sizes of the links; the origin; the key; the bytes
-- with which the request begins; and how many requests of the host to look at. Answers the time; the link that has the
-- key (-1: none), the number of links, and the keys in the newest; where the request is ("": nowhere, "ready", "dated"
-- or "held"), how many of its host precede it, its date, and its bytes; 1 if all requests of the host were looked at;
-- and for the host 1 if it is known, the worker that has it, its deadline, the time before which it may not be asked,
-- its pause, and its record.
local origin, wanted, left = ARGV[4], ARGV[6], tonumber(ARGV[7])

-- Returns the link that has the key, the number of links, and the keys of the newest.
local function seen_in(keys)
    if set then
        return call('SISMEMBER', set, member_of(keys)) - 1, 1, 0
    end
    local said = call('HMGET', figures, 'links', 'added')
    local links = tonumber(said[1] or 0)
    for number = 0, links - 1 do
        local block = block_of(link_of(number), struct.unpack('>I4', keys))
        if has(block, byte(keys, 5, 20)) then
            return number, links, tonumber(said[2] or 0)
        end
    end
    return -1, links, tonumber(said[2] or 0)
end

local function find_held()
    local held = call('HGETALL', key('held', origin))
    for i = 2, #held, 2 do
        if sub(held[i], LEVEL + 1, LEVEL + #wanted) == wanted then
            return {'held', 0, 0, sub(held[i], LEVEL + 1)}
        end
    end
end

-- Searches `size` members of a list or a set, read in parts. Returns the place of the member whose bytes follow
-- `skipped` others, and the member.
local function search(size, skipped, read)
    for start = 0, size - 1, MOST do
        if left <= 0 then
            return
        end
        local members = read(digits(start), digits(start + math.min(MOST, left) - 1))
        left = left - #members
        for i, text in ipairs(members) do
            if sub(text, skipped + 1, skipped + #wanted) == wanted then
                return start + i - 1, text
            end
        end
    end
end

local function find_ready(before)
    for _, level in ipairs(call('ZRANGE', key('levels', origin), '0', '-1')) do
        local list = queue(origin, level)
        local size = call('LLEN', list)
        local place, text = search(size, 0, function(first, last) return call('LRANGE', list, first, last) end)
        if place then
            return {'ready', before + place, 0, text}
        end
        before = before + size
    end
end

local function find_dated(word)
    local dated = key(word, origin)
    local size = call('ZCARD', dated)
    local place, text = search(size, 16 + LEVEL, function(first, last) return call('ZRANGE', dated, first, last) end)
    return place and {'dated', place, tonumber(call('ZSCORE', dated, text)), sub(text, 17 + LEVEL)}
end

local link, links, newest = seen_in(ARGV[5])
local found = find_held() or find_ready(call('HLEN', key('held', origin))) or find_dated('dated')
    or find_dated('later')
local had = call('HMGET', key('host', origin), 'worker', 'open', 'pause', 'record', 'more')
local deadline = tonumber(call('ZSCORE', sessions, origin) or 0)
return {clock(), link, links, newest, found or {'', 0, 0, ''}, left > 0 and 1 or 0,
    {call('EXISTS', key('host', origin)), had[1] or '', deadline, tonumber(had[2] or 0), tonumber(had[3] or 0),
        (had[4] or '') .. (had[5] or '')}}
