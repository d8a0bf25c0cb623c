-- Precedes the scripts that ask the seen-set. ARGV[2] is its kind, ARGV[3] the sizes of the links of a chain.
--
-- The key of a chain has 4 bytes for the block, and for each of its 8 lanes the byte of the block, from 1 on, and the
-- bit in it. The key of a set is the fingerprint. Both have the same size. scrapy-redis has one set for all partitions,
-- with fingerprints as 40 digits.
local kind, sizes = ARGV[2], ARGV[3]
local BLOCK = 64
local byte, sub, band = string.byte, string.sub, bit.band
local chain = {}
local set = ({exact = base .. ':seen', ['scrapy-redis'] = base:match('^{(.*):%d+}$') .. ':dupefilter'})[kind]

local function member_of(print)
    return kind == 'exact' and print or format(string.rep('%02x', #print), byte(print, 1, -1))
end

-- Returns a link of the chain: its key, its blocks, and its maximum of fingerprints.
local function link_of(number)
    if not chain[number] then
        local blocks, capacity = struct.unpack('>I4I4', sizes, number * 8 + 1)
        chain[number] = {key = base .. ':seen:' .. digits(number), blocks = blocks, capacity = capacity}
    end
    return chain[number]
end

-- Returns the block of a key in a link, and its offset. A shorter bitmap ends with zeros.
local function block_of(link, hash)
    local start = hash % link.blocks * BLOCK
    local block = call('GETRANGE', link.key, digits(start), digits(start + BLOCK - 1))
    return #block == BLOCK and block or block .. string.rep('\0', BLOCK - #block), start
end

-- Returns true if all bits of a key are set. Without a loop, which takes half as long again: workers ask this most.
local function has(block, p1, m1, p2, m2, p3, m3, p4, m4, p5, m5, p6, m6, p7, m7, p8, m8)
    return band(byte(block, p1), m1) ~= 0 and band(byte(block, p2), m2) ~= 0
        and band(byte(block, p3), m3) ~= 0 and band(byte(block, p4), m4) ~= 0
        and band(byte(block, p5), m5) ~= 0 and band(byte(block, p6), m6) ~= 0
        and band(byte(block, p7), m7) ~= 0 and band(byte(block, p8), m8) ~= 0
end
