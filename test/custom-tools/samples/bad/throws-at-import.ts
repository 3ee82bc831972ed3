throw new Error("The licence has run out")
