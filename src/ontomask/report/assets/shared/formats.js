// Numbers and words as readers see them.

const UNKNOWN = "not available";

// 12,345
export function formatInteger(number) {
  return isUnknown(number) ? UNKNOWN : Math.round(number).toLocaleString("en");
}

// Three significant digits.
export function formatNumber(value) {
  if (isUnknown(value)) return UNKNOWN;
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return formatInteger(value);
  return String(Number(value.toPrecision(3)));
}

// A share as 12.3 %; only all of them are 100 %, only none is 0 %.
export function formatPercent(share) {
  if (isUnknown(share)) return UNKNOWN;
  const percent = 100 * share;
  if (percent > 0 && percent < 0.1) return "< 0.1 %";
  if (percent < 100 && percent > 99.9) return "> 99.9 %";
  return `${percent.toFixed(percent === 0 || percent === 100 ? 0 : 1)} %`;
}

// One record, two records.
export function formatCount(number, singular, plural = `${singular}s`) {
  return `${formatInteger(number)} ${number === 1 ? singular : plural}`;
}

// 1.2 MB
export function formatBytes(bytes) {
  const units = [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "bytes"]];
  const [size, unit] = units.find(([least]) => bytes >= least) ?? units.at(-1);
  return `${(bytes / size).toFixed(size > 1 && bytes < 10 * size ? 1 : 0)} ${unit}`;
}

// The first letter of k-anonymity and the like stays small.
export function capitalise(text) {
  if (!text || /^[a-z]-/.test(text)) return text ?? "";
  return text[0].toUpperCase() + text.slice(1);
}

function isUnknown(value) {
  return value === null || value === undefined;
}
