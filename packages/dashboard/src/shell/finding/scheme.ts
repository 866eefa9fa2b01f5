import { useMantineColorScheme } from '@mantine/core'

/**
 * Returns the colour scheme that the person chose, light, dark or that of the system, and a function to change it. This
 * browser remembers the choice.
 */
export function useScheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return { chosen: colorScheme, choose: setColorScheme }
}
