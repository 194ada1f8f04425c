// What the parts of these tests share: each check is a sentence; what is wrong is said below it.
let passed = 0;
let failed = 0;

export async function check(sentence, body) {
  try {
    await body();
    passed += 1;
    console.log(`ok   ${sentence}`);
  } catch (why) {
    failed += 1;
    console.log(`FAIL ${sentence}\n     ${why.stdout ?? ''}${why.message}`);
  }
}

const ends = [];

// Called when all is over, or has failed half way; the last one first.
export const atEnd = body => ends.unshift(body);

// The last line; the program ends with it.
export async function tell() {
  for (const body of ends) await body();
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 && passed > 0 ? 0 : 1);
}
