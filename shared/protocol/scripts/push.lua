-- Queues requests that were not seen. ARGV: time, kind, sizes of the links, "1" if the newest requests of a level go
-- first (requests pushed together keep their order), then groups of requests for one level of one host. A group has its
-- origin; the level, followed, unless both are absent, by "1" if its requests are queued though they were seen,
-- otherwise "0", and their date; the keys of all in one text; and the bytes of each. Answers a text with a digit for
-- each request: 1 queued, 2 seen, 3 no room in the seen-set; and after them "+" if a host can be taken that could not
-- before. A request pushed a second time was seen, so a caller without an answer may ask again.
local KEY = 20
local char, bor = string.char, bit.bor
local newest_first = ARGV[4] == '1'
local links, added

-- Returns the block with the bits of a key set. Places are in order, one in each lane.
local function with(block, p1, m1, p2, m2, p3, m3, p4, m4, p5, m5, p6, m6, p7, m7, p8, m8)
    return sub(block, 1, p1 - 1) .. char(bor(byte(block, p1), m1))
        .. sub(block, p1 + 1, p2 - 1) .. char(bor(byte(block, p2), m2))
        .. sub(block, p2 + 1, p3 - 1) .. char(bor(byte(block, p3), m3))
        .. sub(block, p3 + 1, p4 - 1) .. char(bor(byte(block, p4), m4))
        .. sub(block, p4 + 1, p5 - 1) .. char(bor(byte(block, p5), m5))
        .. sub(block, p5 + 1, p6 - 1) .. char(bor(byte(block, p6), m6))
        .. sub(block, p6 + 1, p7 - 1) .. char(bor(byte(block, p7), m7))
        .. sub(block, p7 + 1, p8 - 1) .. char(bor(byte(block, p8), m8)) .. sub(block, p8 + 1)
end

-- Adds a link if the newest is full. False: the chain has its full length.
local function grow()
    if links > 0 and added < link_of(links - 1).capacity then
        return true
    end
    if (links + 1) * 8 > #sizes then
        return false
    end
    local link = link_of(links)
    call('SETRANGE', link.key, digits(link.blocks * BLOCK - 1), '\0')
    links, added = links + 1, 0
    return true
end

local function see_in_chain(keys, at)
    local hash = struct.unpack('>I4', keys, at)
    local block, start
    for number = 0, links - 1 do
        block, start = block_of(link_of(number), hash)
        if has(block, byte(keys, at + 4, at + 19)) then
            return '2'
        end
    end
    local had = links
    if not grow() then
        return '3'
    end
    local newest = link_of(links - 1)
    if links > had then
        block, start = block_of(newest, hash)
    end
    call('SETRANGE', newest.key, digits(start), with(block, byte(keys, at + 4, at + 19)))
    added = added + 1
    return '1'
end

local function see_in_set(keys, at)
    return call('SADD', set, member_of(keys:sub(at, at + KEY - 1))) == 1 and '1' or '2'
end

-- Appends the fate of each request of a group to `fates`, and returns those to queue.
local see = set and see_in_set or see_in_chain
local fates, queued, refused = {}, 0, 0

local function sift(keys, first, is_forced)
    local fresh = {}
    for i = 0, #keys / KEY - 1 do
        local fate = see(keys, i * KEY + 1)
        if is_forced then
            fate = '1'
        end
        if fate == '1' then
            fresh[#fresh + 1] = ARGV[first + i]
        elseif fate == '2' then
            refused = refused + 1
        end
        fates[#fates + 1] = fate
    end
    queued = queued + #fresh
    return fresh
end

local function reversed(requests)
    local answers, count = {}, #requests
    for i = 1, count do
        answers[i] = requests[count + 1 - i]
    end
    return answers
end

-- True: the host may have another place among the hosts now.
local function enqueue(origin, order, requests)
    local level, at = order:sub(1, LEVEL), #order > LEVEL and tonumber(order:sub(LEVEL + 2)) or 0
    if at == 0 or at <= clock() then
        return put(origin, level, newest_first and 'LPUSH' or 'RPUSH', newest_first and reversed(requests) or requests)
    end
    for _, bytes in ipairs(requests) do
        put_off(origin, level, bytes, at)
    end
    return #requests > 0
end

links, added = tonumber(stood[2] or 0), tonumber(stood[3] or 0)
local touched, i = {}, 5
while i <= #ARGV do
    local origin, order, keys = ARGV[i], ARGV[i + 1], ARGV[i + 2]
    local fresh = sift(keys, i + 3, #order > LEVEL and order:sub(LEVEL + 1, LEVEL + 1) == '1')
    touched[origin] = enqueue(origin, order, fresh) or touched[origin]
    i = i + 3 + #keys / KEY
end
local news = ''
for origin in pairs(touched) do
    if not call('ZSCORE', sessions, origin) then
        schedule(origin)
        news = '+'
    end
end
call('HSET', figures, 'links', digits(links), 'added', digits(added), 'queued', digits((stood[4] or 0) + queued),
    'accepted', digits((stood[5] or 0) + queued), 'refused', digits((stood[6] or 0) + refused))
return table.concat(fates) .. news
