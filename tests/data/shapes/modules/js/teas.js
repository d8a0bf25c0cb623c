export const teas = ['green', 'black'];
