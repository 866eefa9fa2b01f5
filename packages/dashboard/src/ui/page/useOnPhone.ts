import { useMediaQuery } from '@mantine/hooks'

/** True in a window as narrow as a phone. The style sheets change at the same width. */
export const useOnPhone = (): boolean =>
  useMediaQuery('(max-width: 47.99em)', window.innerWidth < 768, { getInitialValueInEffect: false })
