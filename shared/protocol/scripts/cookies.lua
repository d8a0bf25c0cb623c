-- Changes cookies, and tells those that differ from the caller's. ARGV: time, the maximum of bytes of all names in the
-- partition, a site, the number of names, and for each the name and the version that the caller knows; then six words
-- for each cookie of this site that changes: name, the id of the cookie, the time when it was set, the time of its end
-- (0: none), flags, value. Answers the time, and for each name with another version the name and its text ("": no
-- cookies).
--
-- The latest setting counts, in whatever order the changes arrive, so a caller without an answer may ask again.
local KEPT = 3600000 -- how long deletions are remembered; older settings are ignored
local OF_HOST, OF_DOMAIN, GONE = 50, 180, 64 -- per name: cookies for it alone, also for hosts below it, deleted ones
local SITE_PART = 2 -- a site may have 1 / SITE_PART of the room
local STEPS, SWEPT = 256, 4 -- names checked for removal, and for expired cookies
local room, site, known = tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local first = 5 + 2 * known
local has_changes = first <= #ARGV
local now = has_changes and clock()

-- Finds the names of a site in a crawl that 0.1.0 began: it has none by site.
local function find_older(of_site)
    if call('EXISTS', ages_of(of_site)) == 1 or call('HEXISTS', site_bytes, of_site) == 0 then
        return
    end
    local said = call('HGETALL', cookies)
    for i = 1, #said, 2 do
        local jar = read_jar(said[i], said[i + 1])
        if jar.site == of_site then
            call('ZADD', ages_of(of_site), digits(jar.version), jar.name)
        end
    end
end

-- Writes a name, or removes it if nothing is left of it, and updates the figures.
local function write_jar(jar, version)
    local bytes, live = cost(jar)
    local nearest = math.huge
    for _, cookie in ipairs(jar.cookies) do
        nearest = cookie.ends > 0 and math.min(nearest, cookie.ends) or nearest
    end
    if nearest < math.huge and (jar.due == 0 or nearest < jar.due) then
        call('ZADD', ends, digits(nearest), jar.name)
        jar.due = nearest
    elseif jar.due > 0 and #jar.cookies == 0 then
        call('ZREM', ends, jar.name)
        jar.due = 0
    end
    if #jar.cookies == 0 then
        call('HDEL', cookies, jar.name)
        call('ZREM', ages, jar.name)
        call('ZREM', ages_of(jar.site), jar.name)
    else
        local texts = {struct.pack(HEAD, version, jar.due, #jar.site, jar.site)}
        for i, c in ipairs(jar.cookies) do
            texts[i + 1] = struct.pack(COOKIE, c.set, c.ends, c.flags, #c.id, c.id, #c.value, c.value)
        end
        call('HSET', cookies, jar.name, table.concat(texts))
        if version ~= jar.version then
            find_older(jar.site)
            call('ZADD', ages, digits(version), jar.name)
            call('ZADD', ages_of(jar.site), digits(version), jar.name)
        end
    end
    if bytes ~= jar.bytes then
        count('cookie_bytes', bytes - jar.bytes)
        if call('HINCRBY', site_bytes, jar.site, digits(bytes - jar.bytes)) == 0 then
            call('HDEL', site_bytes, jar.site)
        end
    end
    count('cookies', live - jar.live)
    jar.version, jar.bytes, jar.live = version, bytes, live
end

-- Keeps the cookies for which wanted is true. True: some were removed.
local function keep(jar, wanted)
    local kept, had = {}, #jar.cookies
    for _, cookie in ipairs(jar.cookies) do
        if wanted(cookie) then
            kept[#kept + 1] = cookie
        end
    end
    jar.cookies = kept
    return #kept < had
end

local function lasts(cookie)
    return cookie.ends == 0 or cookie.ends > now
end

-- The order of removal if a name has too many: cookies sent without TLS first, then the oldest.
local function goes_before(a, b)
    if is(a, SECURE) ~= is(b, SECURE) then
        return is(b, SECURE)
    end
    return a.set < b.set
end

local function shorten(jar, most, counts)
    local found, victim = 0, nil
    for i, cookie in ipairs(jar.cookies) do
        if counts(cookie) then
            found = found + 1
            victim = (not victim or goes_before(cookie, jar.cookies[victim])) and i or victim
        end
    end
    if found > most then
        table.remove(jar.cookies, victim)
    end
end

local function shorten_all(jar)
    local function live(c, only)
        return not is(c, OWN) and not is(c, DELETED) and is(c, HOST_ONLY) == only
    end
    shorten(jar, OF_HOST, function(c) return live(c, true) end)
    shorten(jar, OF_DOMAIN, function(c) return live(c, false) end)
    shorten(jar, GONE, function(c) return is(c, DELETED) end)
end

-- Applies one change. True: the name has changed.
local function change(jar, new)
    local place = #jar.cookies + 1
    for i, cookie in ipairs(jar.cookies) do
        place = cookie.id == new.id and i or place
    end
    local had = jar.cookies[place]
    if new.set < now - KEPT or had and had.set > new.set then
        return false
    end
    if is(new, DELETED) or not lasts(new) then
        new.flags, new.ends, new.value = bit.bor(DELETED, bit.band(new.flags, HOST_ONLY)), new.set + KEPT, ''
    elseif had and is(had, OWN) then
        new.flags = bit.bor(new.flags, OWN)
    end
    if had and had.set == new.set and had.ends == new.ends and had.flags == new.flags and had.value == new.value then
        return false
    end
    jar.cookies[place] = new
    shorten_all(jar)
    return true
end

-- Removes cookies of names changed longest ago, by `found_by`, until the limit holds, except the user's own, and except
-- those of the name that was just changed.
local function shed(most, bytes_now, found_by, but_name)
    if bytes_now() <= most then
        return
    end
    for _, name in ipairs(call('ZRANGE', found_by, '0', digits(STEPS - 1))) do
        local text = name ~= but_name and call('HGET', cookies, name)
        if text then -- a process of 0.1.0 removes names without their age in their site
            local jar = read_jar(name, text)
            local live = jar.live
            keep(jar, function(cookie) return is(cookie, OWN) end)
            write_jar(jar, math.max(now, jar.version + 1))
            count('cookies_dropped', live - jar.live)
            if bytes_now() <= most then
                return
            end
        end
    end
end

local function sweep()
    for _, name in ipairs(call('ZRANGEBYSCORE', ends, '-inf', digits(now), 'LIMIT', '0', digits(SWEPT))) do
        local jar = read_jar(name, call('HGET', cookies, name))
        keep(jar, lasts)
        call('ZREM', ends, name)
        jar.due = 0
        write_jar(jar, jar.version)
    end
end

local function take_changes()
    local jars, names, grown = {}, {}, nil
    sweep()
    for i = first, #ARGV, 6 do
        local name = ARGV[i]
        if not jars[name] then
            jars[name] = read_jar(name, call('HGET', cookies, name), site)
            names[#names + 1] = name
        end
        local new = {id = ARGV[i + 1], set = math.min(tonumber(ARGV[i + 2]), now), ends = tonumber(ARGV[i + 3]),
            flags = tonumber(ARGV[i + 4]), value = ARGV[i + 5]}
        jars[name].is_changed = change(jars[name], new) or jars[name].is_changed
    end
    for _, name in ipairs(names) do
        local jar, bytes = jars[name], jars[name].bytes
        if jar.is_changed then
            keep(jar, lasts)
            write_jar(jar, math.max(now, jar.version + 1))
            grown = jar.bytes > bytes and name or grown
        end
    end
    if grown then
        shed(room / SITE_PART, function() return tonumber(call('HGET', site_bytes, site) or 0) end, ages_of(site),
            grown)
        shed(room, function() return tonumber(call('HGET', figures, 'cookie_bytes') or 0) end, ages, grown)
    end
end

if has_changes then
    take_changes()
end
local names, answers = {}, {0}
for i = 1, known do
    names[i] = ARGV[3 + 2 * i]
end
for i, text in ipairs(known > 0 and call('HMGET', cookies, unpack(names)) or {}) do
    local version = text and struct.unpack('<I8', text) or 0
    if version ~= tonumber(ARGV[4 + 2 * i]) then
        answers[#answers + 1] = names[i]
        answers[#answers + 1] = text or ''
    end
end
answers[1] = now or (#answers > 1 and clock() or 0)
return answers
