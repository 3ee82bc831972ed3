/** Factories return tools. */
export default () => 5
