-- Counts a partition. ARGV: time, and the date of the run, or 0. Behind it stands how many hosts have
-- requests that are due by that date, and that nobody has taken note of yet.
local answers = counted()
answers[#answers + 1] = ARGV[2] == '0' and 0 or call('ZCOUNT', base .. ':later', '-inf', ARGV[2])
return answers
