/** The oldest Node that Gatehouse runs on: `engines` in package.json, and the oldest one in test/nodes. */
export const requiredNode = '24.10';

export function isNewEnough(version = process.versions.node) {
  const [[major, minor], [requiredMajor, requiredMinor]] = [version, requiredNode].map((each) =>
    each.split('.').map(Number),
  );
  return major > requiredMajor || (major === requiredMajor && minor >= requiredMinor);
}
