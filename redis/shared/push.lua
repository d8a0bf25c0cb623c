-- Queues what was not seen. ARGV: time, kind, sizes of the links, then of each request its origin, fingerprint, level,
-- date (0: none), "1" if it is queued though it was seen, and bytes. Answers, of each: 1 queued, 2 seen, 3 no room in
-- the seen-set. A request that is pushed a second time was seen; so a caller that had no answer may ask again.
local now, kind, sizes = clock(ARGV[1]), ARGV[2], ARGV[3]
local LANES, BLOCK = 8, 64
local links, added

-- Where the bits of a fingerprint are: its block's number among 2^32, and a bit in each of the 8 lanes of 64.
local function places(print)
    local a, b, c = struct.unpack('>I4I4I4', print)
    local at = {}
    for lane = 0, LANES - 1 do
        local word = lane < 5 and b or c
        at[lane + 1] = lane * 64 + math.floor(word / 64 ^ (lane % 5)) % 64
    end
    return a, at
end

local function size_of(link)
    return struct.unpack('>I4I4', sizes, link * 8 + 1)
end

local function has(link, a, at)
    local start = a % size_of(link) * BLOCK
    local block = redis.call('GETRANGE', base .. ':seen:' .. link, start, start + BLOCK - 1)
    for _, place in ipairs(at) do
        local byte = block:byte(math.floor(place / 8) + 1) or 0
        if bit.band(byte, bit.rshift(128, place % 8)) == 0 then
            return false
        end
    end
    return true
end

-- A link more, where the newest is full. False: the chain is as long as it may be.
local function grow()
    if links > 0 and added < select(2, size_of(links - 1)) then
        return true
    end
    if (links + 1) * 8 > #sizes then
        return false
    end
    local blocks = size_of(links)
    redis.call('SETRANGE', base .. ':seen:' .. links, blocks * BLOCK - 1, '\0')
    links, added = links + 1, 0
    redis.call('HSET', figures, 'links', links, 'added', 0)
    return true
end

local function see_in_chain(print)
    local a, at = places(print)
    for link = links - 1, 0, -1 do
        if has(link, a, at) then
            return 2
        end
    end
    if not grow() then
        return 3
    end
    local start, bits = a % size_of(links - 1) * BLOCK * 8, {}
    for _, place in ipairs(at) do
        bits[#bits + 1] = 'SET'
        bits[#bits + 1] = 'u1'
        bits[#bits + 1] = start + place
        bits[#bits + 1] = 1
    end
    redis.call('BITFIELD', base .. ':seen:' .. (links - 1), unpack(bits))
    added = added + 1
    return 1
end

local function see_in_set(print)
    return redis.call('SADD', base .. ':seen', print) == 1 and 1 or 2
end

local had = redis.call('HMGET', figures, 'links', 'added')
links, added = tonumber(had[1] or 0), tonumber(had[2] or 0)
local before = added
local see = kind == 'exact' and see_in_set or see_in_chain
local answers, touched, queued, refused = {}, {}, 0, 0
for i = 4, #ARGV, 6 do
    local origin, level, at, bytes = ARGV[i], ARGV[i + 2], tonumber(ARGV[i + 3]), ARGV[i + 5]
    local fate = see(ARGV[i + 1])
    if ARGV[i + 4] == '1' then
        fate = 1
    end
    if fate == 1 and at > now then
        put_off(origin, level, bytes, at)
        touched[origin] = true
    elseif fate == 1 then
        touched[origin] = put(origin, level, bytes, 'RPUSH') or touched[origin]
    end
    queued = queued + (fate == 1 and 1 or 0)
    refused = refused + (fate == 2 and 1 or 0)
    answers[#answers + 1] = fate
end
for origin in pairs(touched) do
    if not redis.call('ZSCORE', sessions, origin) then
        schedule(origin)
    end
end
if added ~= before then
    redis.call('HSET', figures, 'added', added)
end
count('queued', queued)
count('accepted', queued)
count('refused', refused)
return answers
