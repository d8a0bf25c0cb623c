-- Counts a partition. ARGV: time, and the date of the run, or 0. The last number counts the hosts with requests due by
-- that date, of which no worker knows yet.
local answers = counted()
answers[#answers + 1] = ARGV[2] == '0' and 0 or call('ZCOUNT', base .. ':later', '-inf', ARGV[2])
return answers
