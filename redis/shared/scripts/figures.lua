-- What is counted of a partition.
return counted()
