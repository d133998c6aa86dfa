/** Prints a float as Ruby's `Float#to_s` does: `1.0`, `1.0e+20`, `1.0e-05`, `Infinity`, `NaN`. */
export function rubyFloat(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [digits = '', exponentText = '0'] = Math.abs(value).toExponential().split('e');
  const exponent = Number(exponentText);
  const sign = value < 0 ? '-' : '';
  if (exponent >= -4 && exponent < 15) return sign + printPlain(digits.replace('.', ''), exponent);
  const mantissa = digits.includes('.') ? digits : `${digits}.0`;
  const power = String(Math.abs(exponent)).padStart(2, '0');
  return `${sign}${mantissa}e${exponent < 0 ? '-' : '+'}${power}`;
}

function printPlain(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  const integer = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${integer}.${digits.slice(exponent + 1) || '0'}`;
}
