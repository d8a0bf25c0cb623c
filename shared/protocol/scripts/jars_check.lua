-- Checks the invariants of cookies, for check.lua. In a crawl that 0.1.0 began, names may be missing in their site's.
local function check_cookies(must)
    local sum, live, of_sites, names_of, count_of, due = 0, 0, {}, {}, 0, 0
    local said = call('HGETALL', cookies)
    for i = 1, #said, 2 do
        local jar = read_jar(said[i], said[i + 1])
        must(#jar.cookies > 0, 'it has no cookies and stands among those that have', jar.name)
        must(tonumber(call('ZSCORE', ages, jar.name) or -1) == jar.version,
            'its cookies have another version than they are found by', jar.name)
        must(tonumber(call('ZSCORE', ages_of(jar.site), jar.name) or jar.version) == jar.version,
            'its cookies have another version than they are found by in their site', jar.name)
        must(tonumber(call('ZSCORE', ends, jar.name) or 0) == jar.due,
            'its cookies expire at another time than they are found by', jar.name)
        must(jar.name == jar.site or jar.name:sub(-#jar.site - 1) == '.' .. jar.site,
            'its cookies are counted for another site', jar.name)
        of_sites[jar.site] = (of_sites[jar.site] or 0) + jar.bytes
        names_of[jar.site] = (names_of[jar.site] or 0) + 1
        sum, live, count_of, due = sum + jar.bytes, live + jar.live, count_of + 1, due + (jar.due > 0 and 1 or 0)
        local seen = {}
        for _, cookie in ipairs(jar.cookies) do
            must(not seen[cookie.id], 'it has a cookie twice', jar.name)
            seen[cookie.id] = true
        end
    end
    local figure = call('HMGET', figures, 'cookies', 'cookie_bytes')
    must(live == tonumber(figure[1] or 0), live .. ' cookies are kept, and its figures say ' .. (figure[1] or 0))
    must(sum == tonumber(figure[2] or 0), sum .. ' bytes of cookies count, and its figures say ' .. (figure[2] or 0))
    must(call('ZCARD', ages) == count_of, 'there are names with cookies that have none, by their age')
    must(call('ZCARD', ends) == due, 'there are names with cookies that have none, by their end')
    for name, bytes in pairs(of_sites) do
        must(bytes == tonumber(call('HGET', site_bytes, name) or 0), 'its cookies are counted wrong', name)
        must(call('ZCARD', ages_of(name)) <= names_of[name], 'it has names with cookies that have none, by their age',
            name)
    end
end
