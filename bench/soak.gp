# Draws the output of bench/soak:
#
#   gnuplot -e "csv='soak.csv'; out='soak.svg'" bench/soak.gp
if (!exists("csv")) csv = 'soak.csv'
if (!exists("out")) out = 'soak.svg'

set terminal svg size 960,600 dynamic font 'Helvetica,Arial,sans-serif,15' name 'soak'
set output out
set datafile separator ','
ink = '#7f8791'
set border 3 linecolor rgb ink
set tics textcolor rgb ink nomirror
set grid xtics ytics linetype 1 linecolor rgb '#b07f8791' linewidth 0.5
set yrange [0:*]
unset key

set multiplot layout 2,1
set title 'Resident memory' textcolor rgb ink
set ylabel 'MiB' textcolor rgb ink
plot csv using ($1 / 60):($2 / 1024) with lines linecolor rgb '#2f8fd0' linewidth 2
set title 'Open descriptors' textcolor rgb ink
set ylabel 'descriptors' textcolor rgb ink
set xlabel 'minutes' textcolor rgb ink
plot csv using ($1 / 60):3 with lines linecolor rgb '#c0504d' linewidth 2
unset multiplot
