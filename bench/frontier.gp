# Draws docs/frontier.svg from the output of bench_frontier, all runs in one file:
#
#   bench_frontier --urls 1e6 --urls 1e7 --urls 1e8 --hosts 1 --runs 1 --csv frontier.csv
#   bench_frontier --urls 1e6 --urls 1e7 --urls 1e8 --hosts 1 --runs 1 --csv frontier.csv --durable DIRECTORY
#   (and both with --hosts 1000000)
#   gnuplot -e "csv='frontier.csv'; out='docs/frontier.svg'" bench/frontier.gp
#
# Colours have medium lightness and nothing is filled, so the picture is readable on white and on black.
if (!exists("csv")) csv = 'frontier.csv'
if (!exists("out")) out = 'docs/frontier.svg'

set terminal svg size 1000,860 dynamic font 'Helvetica,Arial,sans-serif,15' name 'frontier'
set output out

backends = 'memory memory durable durable'
hosts = '1 1000000 1 1000000'
names = '"in memory, one host" "in memory, a million hosts" "durable, one host" "durable, a million hosts"'
array colour[4] = ['#3f9b5c', '#2f8fd0', '#3f9b5c', '#2f8fd0']
array mark[4] = [4, 8, 5, 9]
array dash[4] = [2, 2, 1, 1]

ink = '#7f8791'
set border 3 linecolor rgb ink
set tics textcolor rgb ink nomirror
set grid xtics ytics linetype 1 linecolor rgb '#b07f8791' linewidth 0.5
set logscale xy
set xtics ('1 M' 1e6, '10 M' 1e7, '100 M' 1e8)
set ytics ('50 k' 5e4, '100 k' 1e5, '200 k' 2e5, '500 k' 5e5, '1 M' 1e6, '2 M' 2e6, '5 M' 5e6, '10 M' 1e7, '20 M' 2e7)
set xlabel 'URLs' textcolor rgb ink
set xrange [8e5:1.25e8]
set yrange [5e4:2.5e7]
set key textcolor rgb ink

rows(n) = sprintf("< awk -F, '$1 == \"%s\" && $3 == %s { print $2, $4, $5, $6, $7 / 1048576 }' '%s'", word(backends, n), word(hosts, n), csv)

style = 'linecolor rgb colour[i] linewidth 2 dashtype dash[i] pointtype mark[i] pointsize 0.8'

set multiplot layout 2,2
set title 'Push, new' textcolor rgb ink
set ylabel 'per second' offset 1,0 textcolor rgb ink
unset key
plot for [i=1:4] rows(i) using 1:2 with linespoints @style

set title 'Push, 90 % seen' textcolor rgb ink
plot for [i=1:4] rows(i) using 1:3 with linespoints @style

set title 'Pop and done' textcolor rgb ink
plot for [i=1:4] rows(i) using 1:4 with linespoints @style

set title 'RSS with all of them queued, the seen-set included' textcolor rgb ink
set ylabel 'MiB'
set yrange [50:25000]
set ytics ('100' 100, '200' 200, '500' 500, '1 000' 1e3, '2 000' 2e3, '5 000' 5e3, '10 000' 1e4, '20 000' 2e4)
set key left top Left reverse samplen 3
plot for [i=1:4] rows(i) using 1:5 with linespoints @style title word(names, i)
unset multiplot
