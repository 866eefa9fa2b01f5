export const StartPage = () => null
