-- Reads a partition for users. ARGV: time, kind of the seen-set, and how many waiting hosts are wanted. Answers the
-- time, the counts, the fingerprints of a set, and hosts: origin, worker (empty: it waits), its deadline or the time
-- from which on it may be taken, pause, and requests that are ready, for a later date, and held; then the number of
-- cookies, of names that have some, and of their sites.
local function ready(origin)
    local requests = 0
    for _, level in ipairs(call('ZRANGE', key('levels', origin), '0', '-1')) do
        requests = requests + call('LLEN', queue(origin, level))
    end
    return requests
end

local found = {}
local function describe(set, most, is_here)
    local members = most > 0 and call('ZRANGE', set, '0', digits(most - 1), 'WITHSCORES') or {}
    for i = 1, #members, 2 do
        local origin = members[i]
        if not is_here or not is_here(origin) then
            local had = call('HMGET', key('host', origin), 'worker', 'pause')
            local delayed = call('ZCARD', key('dated', origin)) + call('ZCARD', key('later', origin))
            found[#found + 1] = {origin, had[1] or '', tonumber(members[i + 1]), tonumber(had[2] or 0), ready(origin),
                delayed, call('HLEN', key('held', origin))}
        end
    end
end

describe(sessions, call('ZCARD', sessions))
describe(hosts, tonumber(ARGV[3]))
describe(base .. ':later', tonumber(ARGV[3]), function(origin)
    return call('ZSCORE', hosts, origin) or call('ZSCORE', sessions, origin)
end)
local function members()
    local first = base:match('^{(.*):0}$')
    if ARGV[2] == 'exact' then
        return call('SCARD', base .. ':seen')
    elseif ARGV[2] == 'scrapy-redis' and first then -- one for all partitions
        return call('SCARD', first .. ':dupefilter')
    end
    return 0
end
local jars = {tonumber(call('HGET', figures, 'cookies') or 0), call('HLEN', base .. ':cookies'),
    call('HLEN', base .. ':cookie_sites')}
return {clock(), counted(), members(), found, jars}
