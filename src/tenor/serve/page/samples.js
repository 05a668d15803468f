// Examples to click, written for this page.

export const PAIRS = [
  { name: "Rain", texts: ["The children were playing football in the park when it began to rain.", "It started raining while the kids played soccer in the park."] },
  { name: "A late plane", texts: ["My flight was delayed, so I missed the meeting in Geneva.", "I could not attend the Geneva meeting because my plane left late."] },
  { name: "Opens or closes", texts: ["The museum opens at nine and is free for children.", "The museum closes at nine, and children pay nothing."] },
  { name: "Who chased whom", texts: ["The dog chased the postman down the street.", "The postman chased the dog down the street."] },
  { name: "Two opinions", texts: ["The movie was wonderful and the actors were brilliant.", "A terrible film with awful acting."] },
  { name: "Two banks", texts: ["She sat by the bank of the river.", "He works at a bank in the city."] },
  { name: "Nothing in common", texts: ["Bake the bread for forty minutes.", "The train to Lisbon was late again."] },
];

export const LIST = `How do I reset my password?
I forgot my password, how can I get a new one?
Where can I change my password?
My parcel has not arrived yet
The package I ordered still isn't here
Where is my order?
When will my order be delivered?
how do i reset my password?
Can I return shoes that I have already worn?
Is it possible to send back worn shoes?
What is your return policy?
How long do I have to return an item?
Do you ship to Norway?
Can you deliver to addresses in Norway?
I was charged twice for the same order
You took the money from my card two times
The discount code does not work
My coupon code is not accepted
How do I cancel my subscription?
I want to end my subscription
Please unsubscribe me from the newsletter
Stop sending me your newsletter
The zip of my jacket broke after a week
What material is the blue jacket made of?
Can I pay by invoice?
Which payment methods do you accept?
Do you have a shop in Berlin?
What are your opening hours?
When is the shop open?
Could I speak to a human?
I'd like to talk to a real person
Thank you, everything arrived safely!`;

export const OPINIONS = `The food was wonderful and the staff could not have been kinder.
I waited an hour and then they forgot my order.
Best holiday we have had in years!
The room was dirty and smelled of smoke.
The parcel arrived on Tuesday.`;

export const TAGGED = `Angela Merkel met Emmanuel Macron in Paris on Monday to talk about the European Union.
The old city lies by the river, and a cat sleeps in front of every second house.`;

export const WORDS = {
  neighbours: ["river", "happy", "piano", "winter"],
  ask: ["bank & river", "bank - money", "(cat | dog) & wild"],
  analogy: ["man king woman", "France Paris Italy", "walk walked swim"],
};
