import { expect, it } from 'vitest';
import { shaCrypt } from '../../../../shared/puppet/ruby-core/sha-crypt.ts';

// Recorded from glibc's crypt.
it.each([
  ['a', 'salt', 512, '$6$salt$TfbP0Ge1gqNJmxZYvNhvDmmKx9BigkML6b3w1kfEiAHpkKpCRu.SKIYV70wlcWGmbdh1koH3a0UmC0b0AcWDQ0'],
  ['a', 'salt', 256, '$5$salt$7p0.o3bzi2h7d5cGlDeRN33gONQRpRi7aNgP2TFs9a5'],
  [
    'password',
    'abcdefghijklmnopqrst',
    512,
    '$6$abcdefghijklmnop$0aenUFHf897F9u0tURIHOeACWajSuVGa7jgJGyq.DKZm/WXl/IZFvPbneFydBjomEOgM.Sh1m0L3KsS1.H5b//',
  ],
  ['password', 'abcdefghijklmnopqrst', 256, '$5$abcdefghijklmnop$ieyonWfl7MR75BuN79Fkt2PqhPI43TsNZYGUObDGVI/'],
  ['', 's', 512, '$6$s$.ZBEl9liET9mKM6jGxl//vp8wOnIJwfkp.7sG2Ahu2q68bf4LasDRE6k5T5NPzLqBFx3oUbMl6xWpBsFfgm6..'],
  ['', 's', 256, '$5$s$u9jS/E6rlpZoj8KCMVhpLKJh2MrO5hc9UBdfKCcvVU7'],
] as const)('%o with salt %s and %i bits', (password, salt, bits, hash) => {
  expect(shaCrypt(password, salt, bits)).toBe(hash);
});
