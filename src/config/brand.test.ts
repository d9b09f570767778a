import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readableColours } from './brand.ts';

/** WCAG 2.2, relative luminance of #rrggbb. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = (color.match(/[0-9a-f]{2}/g) ?? []).map((pair) => {
    const share = Number.parseInt(pair, 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const contrastOf = (one: string, other: string): number => {
  const both = [luminanceOf(one), luminanceOf(other)];
  return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
};

describe('The brand', () => {
  it('gives readable text for every colour', () => {
    const steps = ['00', '33', '66', '99', 'cc', 'ff'];
    for (const red of steps) {
      for (const green of steps) {
        for (const blue of steps) {
          const color = `#${red}${green}${blue}`;
          const { light, dark } = readableColours(color);
          for (const [mode, grounds] of [
            [light, ['#ffffff', '#f5f4f0', '#f0efea', light.accentSoft]],
            [dark, ['#1b1f22', '#131618', '#15181b', dark.accentSoft]],
          ] as const) {
            for (const ground of grounds) assert.ok(contrastOf(mode.accent, ground) >= 4.45, `${color} on ${ground}`);
            assert.ok(contrastOf(mode.onFill, mode.fill) >= 4.5, `${color} under ${mode.onFill}`);
            assert.ok(contrastOf(mode.onFill, mode.fillHover) >= 4.5, `${color}, hovered`);
            assert.equal(mode.fill, color);
          }
        }
      }
    }
  });

  it('does not change a colour that is readable already', () => {
    assert.equal(readableColours('#17614d').light.accent, '#17614d');
    assert.equal(readableColours('#123').light.fill, '#112233');
  });
});
