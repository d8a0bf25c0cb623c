-- Precedes the scripts that read cookies. A name is a host, or a domain whose hosts get its cookies too. All names of a
-- site (a registrable domain) are in the partition of the site.
--
--   cookies          hash: the text of each name
--   cookie_ages      sorted set: names by the version of their text, which is the time of its last change
--   cookie_ages:SITE sorted set: those of a site; 0.1.0 had none
--   cookie_ends      sorted set: names by the time at which one of their cookies expires, or earlier
--   cookie_sites     hash: bytes that count, by site
--
-- A text has its version, the score of its name in cookie_ends (0: none), and its site; then for each cookie the time
-- when it was set, the time of its end (0: none), flags, its id, and its value. A deleted cookie is remembered for a
-- time, so that an older one that is told late does not come back.
local HOST_ONLY, SECURE, OWN, DELETED = 1, 2, 8, 16
local HEAD, COOKIE = '<I8I8I2c0', '<I8I8BI2c0I2c0'
local COOKIE_COST, NAME_COST = 21, 100 -- bytes besides the texts; of a name with its places in the sorted sets
local cookies, ages, ends, site_bytes = base .. ':cookies', base .. ':cookie_ages', base .. ':cookie_ends',
    base .. ':cookie_sites'

local function ages_of(site)
    return ages .. ':' .. site
end

local function is(cookie, flag)
    return bit.band(cookie.flags, flag) ~= 0
end

-- Returns the bytes and cookies that count. Cookies of the user count towards no limit.
local function cost(jar)
    local bytes, live = 0, 0
    for _, cookie in ipairs(jar.cookies) do
        if not is(cookie, OWN) then
            bytes = bytes + COOKIE_COST + #cookie.id + #cookie.value
        end
        if not is(cookie, DELETED) then
            live = live + 1
        end
    end
    return bytes > 0 and bytes + NAME_COST + #jar.name + #jar.site or 0, live
end

local function read_jar(name, text, site)
    local jar, at = {name = name, version = 0, due = 0, site = site, cookies = {}}, nil
    if text then
        jar.version, jar.due, jar.site, at = struct.unpack(HEAD, text)
        while at <= #text do
            local cookie = {}
            cookie.set, cookie.ends, cookie.flags, cookie.id, cookie.value, at = struct.unpack(COOKIE, text, at)
            jar.cookies[#jar.cookies + 1] = cookie
        end
    end
    jar.bytes, jar.live = cost(jar)
    return jar
end
