# Draws docs/membership.svg from the output of bench_membership:
#
#   bench_membership --max 1e8 --csv membership.csv
#   gnuplot -e "csv='membership.csv'; out='docs/membership.svg'" bench/membership.gp
#
# Colours have medium lightness and nothing is filled, so the picture is readable on white and on black.
if (!exists("csv")) csv = 'membership.csv'
if (!exists("out")) out = 'docs/membership.svg'

set terminal svg size 960,860 dynamic font 'Helvetica,Arial,sans-serif,15' name 'membership'
set output out
set datafile separator ','
set datafile missing 'nan'

ways = 'strings digest20 exact counting digest scalable table rotating bitmap bloom'
names = '"URLs in a hash set" "20-byte digests in a set" "exact: 16-byte hashes" "counting" "digest: 8-byte hashes" \
"scalable" "table" "rotating" "bitmap, one hash" "bloom"'
array colour[10] = ['#c0504d', '#d98032', '#b8962e', '#3f9b5c', '#8f9a3a', '#2f8fd0', '#e0569b', '#8a6fd1', '#8c8c8c', '#2aa6a6']
array mark[10] = [5, 7, 9, 13, 11, 7, 5, 9, 11, 13]

ink = '#7f8791'
set border 3 linecolor rgb ink
set tics textcolor rgb ink nomirror
set grid xtics ytics linetype 1 linecolor rgb '#b07f8791' linewidth 0.5
unset mxtics
unset mytics
set logscale xy
set xtics ('100 k' 1e5, '1 M' 1e6, '10 M' 1e7, '100 M' 1e8, '1 G' 1e9)
set xlabel 'URLs' textcolor rgb ink
set xrange [8e4:1.3e8]
set lmargin at screen 0.1
set rmargin at screen 0.715

rows(way) = sprintf("< awk -F, '$2 == \"%s\"' '%s'", way, csv)

set multiplot layout 2,1
set title 'Space' textcolor rgb ink
set ylabel 'bits per URL' offset 1,0 textcolor rgb ink
set yrange [16:1024]
set ytics 2
set key at screen 0.735, 0.93 left top Left reverse maxcols 1 maxrows 12 samplen 2 spacing 1.2 textcolor rgb ink
plot for [i=1:10] rows(word(ways, i)) using 1:4 with linespoints \
    linecolor rgb colour[i] linewidth 2 pointtype mark[i] pointsize 0.7 title word(names, i)

set title 'Time, in batches of 128 where there are any' textcolor rgb ink
set ylabel 'ns per test-and-add' offset 1,0 textcolor rgb ink
set yrange [8:1024]
unset key
plot for [i=1:10] rows(word(ways, i)) using 1:(valid(6) ? $6 : $5) with linespoints \
    linecolor rgb colour[i] linewidth 2 pointtype mark[i] pointsize 0.7
unset multiplot
