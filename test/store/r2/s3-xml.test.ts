import { expect, it } from "vitest";
import { elementsOf, elementText, escapeXml, isWhole } from "../../../builder/store/r2/s3-xml.ts";

const LIST =
  '<?xml version="1.0"?>\n<R xmlns="x"><C><K>a&amp;b &#233;&#x1F701;&quot;&nbsp;</K><E/></C><C><K></K></C><N>2</N></R>\n';

it("reads elements and their text, entities included", () => {
  const [first = "", second = ""] = elementsOf(LIST, "C");
  expect(elementText(first, "K")).toBe('a&b é🜁"&nbsp;');
  expect(elementText(second, "K")).toBe("");
  expect(elementText(second, "E")).toBeUndefined();
  expect(elementsOf(LIST, "D")).toEqual([]);
});

it("tells a whole document from one that was cut short anywhere", () => {
  expect(isWhole(LIST, "R")).toBe(true);
  expect(isWhole('<?xml version="1.0"?><R xmlns="x"/>', "R")).toBe(true);
  const end = LIST.trimEnd().length;
  for (let length = 0; length < end; length++) expect(isWhole(LIST.slice(0, length), "R"), String(length)).toBe(false);
});

it("escapes what it would read back", () => {
  expect(elementText(`<K>${escapeXml("<a>&amp;</a>")}</K>`, "K")).toBe("<a>&amp;</a>");
});
