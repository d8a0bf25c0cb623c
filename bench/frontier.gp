# Draws docs/frontier.svg from what bench_frontier wrote:
#
#   bench_frontier --durable DIRECTORY --processor --urls 1e6 --urls 1e7 --csv frontier.csv
#   gnuplot -e "csv='frontier.csv'; out='docs/frontier.svg'" bench/frontier.gp
#
# Colours are of middle lightness and nothing is filled, so that the picture can be read on white and on black.
if (!exists("csv")) csv = 'frontier.csv'
if (!exists("out")) out = 'docs/frontier.svg'

set terminal svg size 960,460 dynamic font 'Helvetica,Arial,sans-serif,15' name 'frontier'
set output out
set datafile separator ','

hosts = '1 1000 1000000'
names = '"one host" "a thousand" "a million"'
array colour[3] = ['#3f9b5c', '#2f8fd0', '#c0504d']
array mark[3] = [5, 7, 9]

ink = '#7f8791'
set border 3 linecolor rgb ink
set tics textcolor rgb ink nomirror
set grid xtics ytics linetype 1 linecolor rgb '#b07f8791' linewidth 0.5
set logscale xy
set xtics ('1 M' 1e6, '10 M' 1e7, '100 M' 1e8)
set ytics ('20 k' 2e4, '50 k' 5e4, '100 k' 1e5, '200 k' 2e5, '500 k' 5e5, '1 M' 1e6)
set xlabel 'URLs' textcolor rgb ink
set xrange [8e5:1.3e8]
set yrange [2e4:1.2e6]

rows(n) = sprintf("< awk -F, '$2 == %s' '%s'", n, csv)

set multiplot layout 1,2
set title 'Push, new, in batches of 50' textcolor rgb ink
set ylabel 'per second of processor time' offset 1,0 textcolor rgb ink
set key left bottom Left reverse samplen 2 textcolor rgb ink
plot for [i=1:3] rows(word(hosts, i)) using 1:3 with linespoints \
    linecolor rgb colour[i] linewidth 2 pointtype mark[i] pointsize 0.7 title word(names, i)

set title 'Pop and done' textcolor rgb ink
unset ylabel
unset key
plot for [i=1:3] rows(word(hosts, i)) using 1:5 with linespoints \
    linecolor rgb colour[i] linewidth 2 pointtype mark[i] pointsize 0.7
unset multiplot
