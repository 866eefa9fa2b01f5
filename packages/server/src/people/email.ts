/** The shape of an e-mail address. Whether it can be reached is not asked, since no mail is sent. */

/** An e-mail address has no more characters than this (RFC 5321); a longer one belongs to nobody. */
export const maxEmailLength = 254

export const normalEmail = (email: string): string => email.trim().toLowerCase()

export const isEmail = (address: string): boolean =>
  address.length <= maxEmailLength && /^[^\s@<>"',;:\\()[\]]+@[^\s@<>"',;:\\()[\]]+$/.test(address)
