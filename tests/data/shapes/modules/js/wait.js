await new Promise(done => setTimeout(done, 50));
export const ready = true;
