-- Every invariant of a partition; for people and for tests, since it walks over all there is. Answers the text of each
-- that does not hold, a hundred at most.
local wrong, queued, held, later = {}, 0, 0, 0
local function must(holds, text, origin)
    if not holds and #wrong < 100 then
        wrong[#wrong + 1] = base .. ': ' .. (origin and origin .. ': ' or '') .. text
    end
end

local function check_levels(origin)
    local requests = 0
    for _, level in ipairs(call('ZRANGE', key('levels', origin), 0, -1)) do
        local size = call('LLEN', queue(origin, level))
        must(size > 0, 'level ' .. level .. ' stands among those that have requests and has none', origin)
        requests = requests + size
    end
    return requests
end

local function check_host(origin, in_session)
    local ready, dated = check_levels(origin), call('ZCARD', key('dated', origin))
    local out = call('HLEN', key('held', origin))
    local token = call('HGET', key('host', origin), 'token')
    must((token and true or false) == in_session, 'a token without a session, or a session without a token', origin)
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
    return call('ZCARD', of)
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
local said = call('HMGET', figures, 'queued', 'held', 'links', 'later')
must(queued == tonumber(said[1] or 0), queued .. ' requests are queued, and its figures say ' .. (said[1] or 0))
must(held == tonumber(said[2] or 0), held .. ' requests are held, and its figures say ' .. (said[2] or 0))
must(later == tonumber(said[4] or 0), later .. ' requests are for a later run, and its figures say ' .. (said[4] or 0))
for link = 0, tonumber(said[3] or 0) - 1 do
    must(call('EXISTS', base .. ':seen:' .. link) == 1, 'link ' .. link .. ' of its seen-set is missing')
end
check_cookies(must)
return wrong
