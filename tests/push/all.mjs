// See run.sh.
import {check, tell} from './checks.mjs';

for (const part of ['./push.mjs', './e2e.mjs'])
  await import(part).catch(why => check(`${part} came to its end`, () => { throw why; }));
await tell();
