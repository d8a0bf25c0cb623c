-- Says that these partitions have something new. KEYS[1] is "{NAME}". ARGV: time, and the numbers of the partitions. An
-- idle worker reads "{NAME}:stirs", 16 bits for each number, and asks only the partitions whose bits have changed.
local words = {}
for i = 2, #ARGV do
    local w = #words
    words[w + 1], words[w + 2], words[w + 3], words[w + 4] = 'INCRBY', 'u16', '#' .. ARGV[i], '1'
end
call('BITFIELD', base .. ':stirs', unpack(words))
return #ARGV - 1
