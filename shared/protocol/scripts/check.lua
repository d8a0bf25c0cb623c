-- Checks every invariant of a partition. For users and tests, since it walks over everything. ARGV: time, kind, sizes
-- of the links, and the sign of the crawl, or nothing if it has none yet. Answers the texts of violations, a hundred at
-- most.
local wrong, queued, held, later = {}, 0, 0, 0
local function must(holds, text, origin)
    if not holds and #wrong < 100 then
        wrong[#wrong + 1] = base .. ': ' .. (origin and origin .. ': ' or '') .. text
    end
end

-- Returns true if the seen-set has the bits or the member of this fingerprint, as push.lua sets them.
local links = tonumber(call('HGET', figures, 'links') or 0)
local function is_seen(print)
    if set then
        return call('SISMEMBER', set, member_of(print)) == 1
    end
    for number = 0, links - 1 do
        local block, all = block_of(link_of(number), struct.unpack('>I4', print)), true
        for lane = 0, 7 do
            local place = byte(print, 5 + lane) % 64
            all = all and band(byte(block, 1 + lane * 8 + math.floor(place / 8)), 2 ^ (place % 8)) ~= 0
        end
        if all then
            return true
        end
    end
    return false
end

-- A request as shared/store/joint_bytes.c writes it: 43 bytes, the parent, and the parts named by sizes and flags.
local FIXED, PRINT, WHOLE, EXTRA = 43, 20, 2, 4
local function is_readable(bytes)
    if #bytes < FIXED then
        return false
    end
    local flags, url, parent = struct.unpack('<BI4I4', bytes, 35)
    local tail = #bytes - FIXED - parent
    return (flags == 0 or flags == WHOLE) and url == tail
        or (flags == EXTRA or flags == EXTRA + WHOLE) and url < tail
end

local met = {}
local function check_request(bytes, origin)
    local readable = is_readable(bytes)
    must(readable, 'a request cannot be read', origin)
    must(not met[bytes], 'a request is there twice', origin)
    must(not readable or is_seen(sub(bytes, 1, PRINT)), 'a request is not in the seen-set', origin)
    met[bytes] = true
end

-- Checks the requests of a sorted set or a list. Each follows `skipped` bytes of its member.
local function check_requests(size, skipped, origin, read)
    for start = 0, size - 1, MOST do
        for _, text in ipairs(read(digits(start), digits(start + MOST - 1))) do
            check_request(sub(text, skipped + 1), origin)
        end
    end
    return size
end

local function check_set(word, origin)
    local of = key(word, origin)
    return check_requests(call('ZCARD', of), 16 + LEVEL, origin,
        function(first, last) return call('ZRANGE', of, first, last) end)
end

local function check_levels(origin)
    local requests = 0
    for _, level in ipairs(call('ZRANGE', key('levels', origin), 0, -1)) do
        local list = queue(origin, level)
        local size = call('LLEN', list)
        must(size > 0, 'level ' .. level .. ' stands among those that have requests and has none', origin)
        requests = requests + check_requests(size, 0, origin,
            function(first, last) return call('LRANGE', list, first, last) end)
    end
    return requests
end

local function check_held(origin)
    local had = call('HGETALL', key('held', origin))
    for i = 2, #had, 2 do
        check_request(sub(had[i], LEVEL + 1), origin)
    end
    return #had / 2
end

local newest = tonumber(call('HGET', figures, 'token') or 0)
local function check_host(origin, in_session)
    local ready, dated, out = check_levels(origin), check_set('dated', origin), check_held(origin)
    local token = call('HGET', key('host', origin), 'token')
    must((token and true or false) == in_session, 'a token without a session, or a session without a token', origin)
    must(not token or tonumber(token) <= newest, 'its token is above the last that was given', origin)
    must(in_session or out == 0, 'requests are held without a session', origin)
    must(in_session or ready + dated > 0, 'it waits for its turn and has nothing queued', origin)
    queued, held = queued + ready + dated, held + out
end

local function check_later(origin)
    local of = key('later', origin)
    local first = call('ZRANGE', of, 0, 0, 'WITHSCORES')[2]
    must(first, 'it has requests for a later run and has none', origin)
    must(not first or first == call('ZSCORE', base .. ':later', origin),
        'its first request for a later run has another date', origin)
    return check_set('later', origin)
end

if ARGV[4] ~= '' then
    must(call('HGET', figures, 'made') == ARGV[4], 'its sign is not that of the crawl: what it had is lost')
end

local waiting = call('ZRANGE', hosts, 0, -1)
for _, origin in ipairs(waiting) do
    must(not call('ZSCORE', sessions, origin), 'it waits for its turn and has a session', origin)
    check_host(origin, false)
end
for _, origin in ipairs(call('ZRANGE', sessions, 0, -1)) do
    check_host(origin, true)
end
for _, origin in ipairs(call('ZRANGE', base .. ':later', 0, -1)) do
    later = later + check_later(origin)
end
local said = call('HMGET', figures, 'queued', 'held', 'links', 'later', 'accepted', 'done')
must(queued == tonumber(said[1] or 0), queued .. ' requests are queued, and its figures say ' .. (said[1] or 0))
must(held == tonumber(said[2] or 0), held .. ' requests are held, and its figures say ' .. (said[2] or 0))
must(later == tonumber(said[4] or 0), later .. ' requests are for a later run, and its figures say ' .. (said[4] or 0))
local accepted, done = tonumber(said[5] or 0), tonumber(said[6] or 0)
must(accepted == done + queued + held + later, accepted .. ' requests were accepted, and ' .. done + queued + held + later
    .. ' are finished, queued, held or for a later run')
for link = 0, links - 1 do
    must(call('EXISTS', base .. ':seen:' .. link) == 1, 'link ' .. link .. ' of its seen-set is missing')
end
check_cookies(must)
return wrong
