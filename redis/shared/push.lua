-- Queues what was not seen. ARGV: time, kind, sizes of the links, then of each request its origin, fingerprint, level,
-- date (0: none), "1" if it is queued though it was seen, and bytes. Answers, of each: 1 queued, 2 seen, 3 no room in
-- the seen-set. A request that is pushed a second time was seen; so a caller that had no answer may ask again.
local now, kind, sizes = clock(ARGV[1]), ARGV[2], ARGV[3]
local BLOCK, MASKS = 64, {[0] = 128, 64, 32, 16, 8, 4, 2, 1}
local byte = string.byte
local links, added
local blocks_of, bits = {}, {}

-- Blocks of a link, and the fingerprints that it may take.
local function size_of(link)
    return struct.unpack('>I4I4', sizes, link * 8 + 1)
end

-- The first four bytes of a fingerprint say which block it has, and each of the next eight a bit in one lane of it.
local function has(link, a, lanes)
    local blocks = blocks_of[link] or (size_of(link))
    local start = a % blocks * BLOCK
    local block = redis.call('GETRANGE', base .. ':seen:' .. link, start, start + BLOCK - 1)
    blocks_of[link] = blocks
    for lane = 0, 7 do
        local place = byte(lanes, lane + 1) % 64
        local within = place % 8
        local mask = MASKS[within]
        if (byte(block, lane * 8 + (place - within) / 8 + 1) or 0) % (mask + mask) < mask then
            return false
        end
    end
    return true
end

local function add(link, a, lanes)
    local start = a % (blocks_of[link] or size_of(link)) * BLOCK * 8
    for lane = 0, 7 do
        bits[4 * lane + 1] = 'SET'
        bits[4 * lane + 2] = 'u1'
        bits[4 * lane + 3] = start + lane * 64 + byte(lanes, lane + 1) % 64
        bits[4 * lane + 4] = 1
    end
    redis.call('BITFIELD', base .. ':seen:' .. link, unpack(bits))
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
    local a, lanes = (struct.unpack('>I4', print)), print:sub(5, 12)
    for link = links - 1, 0, -1 do
        if has(link, a, lanes) then
            return 2
        end
    end
    if not grow() then
        return 3
    end
    add(links - 1, a, lanes)
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
